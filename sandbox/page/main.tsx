import { createRoot } from 'react-dom/client';
import 'slack-blocks-to-jsx/dist/style.css';
import './styles/page.css';
import './styles/blocks.css';
import './styles/panel.css';
import { App } from './App.tsx';

const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
