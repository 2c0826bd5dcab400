import { useWorkspace } from './workspace.ts';

const STEPS = [
  {
    text: '/billing connect',
    title: 'Connect',
    why: 'Register access to the billing service, as the owner.',
  },
  { text: '/balance 123', title: 'Ask what is left', why: 'Balance, bonuses, and how long they last.' },
  { text: '/spend 123 last-7-days', title: 'Ask what was spent', why: 'Total, comparison, chart and table.' },
];

/** The first thing a newcomer sees: three steps, each a click into the composer. */
export function Welcome({ onTry }: { onTry(attempt: { text: string }, as?: string): void }) {
  const { snapshot } = useWorkspace();
  const owner = snapshot.people.find(({ role }) => role === 'owner')?.id;
  return (
    <section className="welcome" aria-label="Welcome">
      <h3>What do your cloud projects cost?</h3>
      <p>
        {snapshot.bot.name} answers where the team already talks. This workspace is a rehearsal: the bot is
        real, Slack and the billing service are played by your machine. Three steps show most of it.
      </p>
      {snapshot.install?.isInstalled === false && (
        <p className="welcome-first">
          {snapshot.bot.name} is not installed in {snapshot.workspace.name} yet:
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
        A click puts the command into the message field; Enter sends it. More under <b>Try</b> on the right.
      </p>
    </section>
  );
}
