import { type Administration, startAdministration } from './administration.js';

const root = { userId: 'u-root', username: 'root', origin: 'UI' as const };

/** An administration with keys in every state and with every warning, as the pictures show them. */
export async function administrationWithKeys(): Promise<Administration> {
  const host = await startAdministration();
  const backTo = async (daysAgo: number, work: () => Promise<unknown>) => {
    host.clock.jumpCalendar(-daysAgo * 86_400_000);
    await work();
    host.clock.jumpCalendar(daysAgo * 86_400_000);
  };
  const use = (key: string, hoursAgo: number) =>
    backTo(hoursAgo / 24, () => host.apiKeys.authenticate({ 'x-api-key': key }));
  const importer = await host.made('u-alice', 'Retired importer', 300, 200);
  const pipeline = await host.made('u-root', 'CI pipeline', 200, 240);
  const laptop = await host.made('u-root', 'Old laptop', 150, 365);
  const dashboards = await host.made('u-root', 'Grafana dashboards', 100, 90);
  const nightly = await host.made('u-root', 'Nightly export', 80, 90);
  const assistant = await host.made('u-bob', 'MCP assistant', 20, 25);
  await host.made('u-alice', 'Billing sync (staging)', 3, 90);
  const terraform = await host.made('u-root', 'Terraform', 1, 365);
  await backTo(120, () => use(importer.key, 0));
  await backTo(90, () =>
    host.apiKeys.update(root, pipeline.id, { name: 'CI pipeline (main)', expiresOn: '2027-06-09T09:30:00Z' }),
  );
  await backTo(31, () => use(laptop.key, 0));
  await backTo(30, () => host.apiKeys.revoke(root, laptop.id));
  for (const [{ key }, hoursAgo] of [
    [laptop, 26],
    [laptop, 2],
    [dashboards, 264],
    [dashboards, 5],
    [pipeline, 0.05],
    [assistant, 3],
    [nightly, 8],
    [terraform, 1],
  ] as const) {
    await use(key, hoursAgo);
  }
  return host;
}
