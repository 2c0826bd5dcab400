import { createRoot } from 'react-dom/client';
import 'slack-blocks-to-jsx/dist/style.css';
import './styles/library.css';
import './styles/theme.css';
import './styles/base.css';
import './styles/sidebar.css';
import './styles/messages.css';
import './styles/composer.css';
import './styles/blocks.css';
import './styles/controls.css';
import './styles/modal.css';
import './styles/panel.css';
import './styles/steps.css';
import { App } from './App.tsx';

const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
