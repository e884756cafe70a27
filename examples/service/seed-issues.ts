import { eachOf } from './engine/each-of.js';

interface SeedOptions {
  apiUrl: string;
  repository: string;
  count: number;
}

// A limit is counted by token: what seeding uses up is not missing later.
const seedingToken = 'seeding-token';

const subjects = [
  'Login fails after a password change',
  'Größe der Anhänge wird falsch angezeigt',
  '検索結果が空になる',
  'Export “Q3 – naïve totals” rounds twice',
  'لوحة التحكم لا تُحدَّث',
  'Crash 💥 when the 👩‍👩‍👧 emoji is in a name',
  '<script>alert("title")</script> is shown as text',
  'Не приходит письмо о сбросе пароля',
];

const bodies = [
  '',
  'It happens every time. See the log:\n\n```\nError: ECONNRESET\n    at Socket.onEnd (net.js:42)\n```\n',
  '## Steps\n\n1. Open **Settings**\n2. Click _Save_\n\n- [x] reproduced\n- [ ] fixed\n\n| version | broken |\n|---|---|\n| 2.1 | yes |',
  'Windows line ends\r\nstay as they are.\r\n',
  'This text has <!-- a comment --> in the middle, and "quotes" \\ backslashes.',
  'Copied from elsewhere.\n\n<!-- concordat:source=other/tracker#7 -->',
];

const labelNames = ['bug', 'Documentation', 'good first issue', 'größe', '優先', 'type: question'];

/** Creates issues of every kind through the emulator's API: its seed configuration knows none. */
export async function seedIssues({ apiUrl, repository, count }: SeedOptions): Promise<void> {
  const url = `${apiUrl}/repos/${repository}/issues`;
  const send = async (method: string, path: string, json: object) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${seedingToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(json),
    });
    if (!response.ok) throw new Error(`Seeding the emulated GitHub failed: ${response.status}`);
    return (await response.json()) as { number: number };
  };
  const signal = new AbortController().signal;
  await eachOf([...Array(count).keys()], { concurrency: 16, signal }, async (index) => {
    const { number } = await send('POST', '', seedIssue(index));
    if (index % 4 === 3) await send('PATCH', `/${number}`, { state: 'closed' });
  });
}

function seedIssue(index: number): { title: string; body: string; labels: string[] } {
  return {
    title: `${pick(subjects, index)} (${index + 1})`,
    body: pick(bodies, Math.floor(index / 2)),
    labels: labelNames.filter((_, label) => (index + label) % 5 === 0),
  };
}

function pick(from: readonly string[], index: number): string {
  return from[index % from.length] as string;
}
