import type { Author } from './workspace.ts';

/** Tally's logo. */
function TallyMark() {
  return (
    <svg viewBox="0 0 36 36" aria-hidden="true" focusable="false">
      <path
        d="M10 10v16M15.3 10v16M20.6 10v16M26 10v16M6.5 22.5l23-9"
        stroke="#fff"
        strokeWidth="2.6"
        strokeLinecap="round"
      />
    </svg>
  );
}

function BotFace() {
  return (
    <svg viewBox="0 0 36 36" fill="none" stroke="#fff" strokeWidth="2.2" aria-hidden="true" focusable="false">
      <rect x="8" y="12" width="20" height="14" rx="5" />
      <path d="M18 12V8" strokeLinecap="round" />
      <path d="M14.5 18.5v1M21.5 18.5v1" strokeLinecap="round" />
    </svg>
  );
}

const initials = (name: string) =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join('');

export function Avatar({ author, size = 36 }: { author: Author; size?: number }) {
  return (
    <span
      className={`avatar ${author.kind}`}
      style={{ width: size, height: size, background: author.color, fontSize: size * 0.4 }}
      aria-hidden="true"
    >
      {author.kind === 'bot' && <TallyMark />}
      {author.kind === 'slackbot' && <BotFace />}
      {author.kind === 'person' && initials(author.name)}
    </span>
  );
}

export function AppBadge() {
  return <span className="app-badge">APP</span>;
}
