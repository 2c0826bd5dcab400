/**
 * Lays JSON out over lines without parsing it: digits stay as they were sent, which `JSON.parse` would not promise
 * for long ids and amounts. Anything that does not begin like JSON comes back as it is.
 */
export function indentJson(text: string): string {
  if (!/^\s*[{[]/.test(text)) return text;
  let depth = 0;
  const line = () => `\n${'  '.repeat(Math.max(0, depth))}`;
  return text.replace(/"(?:[^"\\]|\\.)*"?|\s+|[{[]\s*[}\]]|[{}[\],:]/g, (token) => {
    if (token.startsWith('"')) return token;
    if (/^\s/.test(token)) return '';
    if (token === ',') return `,${line()}`;
    if (token === ':') return ': ';
    if (/^[{[]\s*[}\]]$/.test(token)) return token.replace(/\s/g, '');
    depth += token === '{' || token === '[' ? 1 : -1;
    return token === '{' || token === '[' ? `${token}${line()}` : `${line()}${token}`;
  });
}
