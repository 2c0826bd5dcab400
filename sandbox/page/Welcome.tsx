import { useWorkspace } from './workspace.ts';

const STEPS = [
  {
    text: '/billing connect',
    title: 'Connect',
    why: 'Paste a billing token from the panel, as the owner.',
  },
  { text: '/balance 123', title: 'Check the balance', why: 'What’s left and how long it lasts.' },
  { text: '/spend 123 last-7-days', title: 'See the spend', why: 'Total, comparison, chart and table.' },
];

/** The first steps. A click puts the command into the message field. */
export function Welcome({ onTry }: { onTry(attempt: { text: string }, as?: string): void }) {
  const { snapshot } = useWorkspace();
  const owner = snapshot.people.find(({ role }) => role === 'owner')?.id;
  return (
    <section className="welcome" aria-label="Welcome">
      <h3>What do your cloud projects cost?</h3>
      <p>
        {snapshot.bot.name} answers in Slack. In this sandbox the bot is real; Slack and the billing service
        are simulated on your machine. Start with these three steps.
      </p>
      {snapshot.install?.isInstalled === false && (
        <p className="welcome-first">
          {snapshot.bot.name} isn’t installed in {snapshot.workspace.name} yet.{' '}
          <a href={snapshot.install.url} target="_blank" rel="noreferrer">
            Install {snapshot.bot.name}
          </a>
        </p>
      )}
      <ol>
        {STEPS.map(({ text, title, why }, index) => (
          <li key={text}>
            <button type="button" onClick={() => onTry({ text }, index === 0 ? owner : undefined)}>
              <span className="step">{index + 1}</span>
              <span className="step-words">
                <b>{title}</b>
                <small>{why}</small>
              </span>
              <code>{text}</code>
            </button>
          </li>
        ))}
      </ol>
      <p className="welcome-more">
        Click a step to put its command into the message field, then press Enter. Find more under <b>Try</b>.
      </p>
    </section>
  );
}
