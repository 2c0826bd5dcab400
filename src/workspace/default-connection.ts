import type { Workspaces } from './workspaces.ts';

/** Two round trips, so that settings which somebody saved a moment ago are kept. @throws StoreUnreachable, SealBroken */
export async function chooseDefault(workspaces: Workspaces, workspace: string, name: string): Promise<void> {
  const { settings } = await workspaces.read(workspace);
  await workspaces.saveSettings(workspace, { ...settings, connection: name });
}
