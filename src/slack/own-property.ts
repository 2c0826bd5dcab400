/** What stands in a table under a name from outside: `constructor` and the like are in every object and in no table. */
export function ownValue<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
