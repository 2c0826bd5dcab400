/**
 * Indents JSON without parsing it, because `JSON.parse` would change the digits of long IDs and amounts. Text that is
 * not JSON is returned as it is.
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
