/** The look of the pages; its hash stands in their content security policy. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1d1c1d; --soft: #5b6770; --paper: #fff; --ground: #eef2f5; --line: #d9e0e5; --brand: #1f3a4d; --onbrand: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8edf0; --soft: #9fb0bb; --paper: #182530; --ground: #0f1920; --line: #2b3d4a; --brand: #9ccbe8; --onbrand: #0f1920; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 6vh 1rem; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 36rem; margin: 0 auto; padding: 2rem 2.25rem 1.75rem; background: var(--paper); border: 1px solid var(--line); border-radius: 12px; }
.brand { margin: 0; font-weight: 700; color: var(--brand); }
h1 { margin: .25rem 0 1rem; font-size: 1.6rem; line-height: 1.25; }
h2 { margin: 1.75rem 0 .5rem; font-size: 1rem; }
dl { margin: 0; display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1rem; }
dd { margin: 0; }
ol { margin: 0; padding-left: 1.25rem; }
li { margin: .25rem 0; }
code { font: .9em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--ground); padding: .1em .35em; border-radius: 4px; overflow-wrap: anywhere; }
.button { display: inline-block; margin: .5rem 0; padding: .65rem 1.25rem; background: var(--brand); color: var(--onbrand); border-radius: 8px; font-weight: 600; text-decoration: none; }
.button:hover { filter: brightness(1.12); }
.button:focus-visible { outline: 3px solid var(--soft); outline-offset: 2px; }
.small { margin: 1.5rem 0 0; font-size: .875rem; color: var(--soft); }
@media (max-width: 30rem) { main { padding: 1.5rem 1.25rem; } dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .6rem; } }
`;
