import { eachOf } from '../../service/engine/each-of.js';
import { type DirectGitHub, type DirectRedmine, nextSecond, type RawIssue } from './direct.js';

/** Both systems, and what people wrote into them: that is what has to be on both sides in the end. */
export interface World {
  gitHub: DirectGitHub;
  redmine: DirectRedmine;
  titles: Set<string>;
  comments: Set<string>;
}

/** A closed status of Redmine's default configuration. */
const closed = { status_id: 5 };
const reopened = { status_id: 1 };
const signal = new AbortController().signal;

const tickets = [
  ['Drucker im 2. Stock zieht kein Papier', 'Seit heute früh.\n\n* Fach 1: nein\n* Fach 2: ja'],
  ['VPN disconnects every 30 minutes', 'Log:\n\n```\nERR 0x2A <timeout> & "retry"\n```\n'],
  ['Nouvelle clé d’accès 🔑 demandée', ''],
  ['パスワードの再設定', '手順は [Wiki](http://example.net/wiki?a=1&b=2) を参照。'],
  ['Umlaute: äöüß – “quotes” and a trailing space ', 'One line.\r\nAnother one.\r\n\r\nA <!-- comment --> in it.'],
] as const;

/** Comments for the issues that are there, and tickets with comments, a private note and a file in Redmine. */
export async function seed(world: World, ticketCount: number, file: Uint8Array<ArrayBuffer>): Promise<number[]> {
  const { gitHub, redmine } = world;
  const issues = await gitHub.issues();
  for (const { number, title } of issues) {
    world.titles.add(title);
    for (let index = 0; index < number % 3; index++) await commentOnGitHub(world, number, `Comment ${index + 1}`);
  }
  const ids: number[] = [];
  await eachOf([...Array(ticketCount).keys()], { concurrency: 4, signal }, async (index) => {
    const [subject, description] = tickets[index % tickets.length] as (typeof tickets)[number];
    const title = `${subject.trim()} (ticket ${index + 1})`;
    const id = await redmine.create(title, description);
    world.titles.add(title);
    ids.push(id);
    for (let note = 0; note < index % 3; note++) await commentOnRedmine(world, id, `Note ${note + 1}`);
    if (index % 4 === 3) await redmine.change(id, closed);
    if (index % 5 === 1) await redmine.attach(id, 'screenshot.bin', file);
    if (index % 5 === 2) await redmine.change(id, { notes: 'Between us: not for other systems', private_notes: true });
  });
  return ids.sort((a, b) => a - b);
}

/** People go on working on both sides, on what they wrote themselves and on its mirrors. */
export async function goOnWorking(world: World): Promise<void> {
  const { gitHub, redmine } = world;
  const onGitHub = await gitHub.issues();
  const onRedmine = await redmine.issues();
  const originals = (issues: RawIssue[]) => issues.filter(({ body }) => !body.includes('concordat:source='));
  const mirrorOf = (issues: RawIssue[], name: string, { number }: RawIssue) => {
    const found = issues.find(({ body }) => body.trimEnd().endsWith(`<!-- concordat:source=${name}#${number} -->`));
    if (found === undefined) throw new Error(`Nothing mirrors ${name}#${number}.`);
    return found;
  };
  const [first, second, third, fourth, fifth, sixth, seventh] = originals(onGitHub) as [...SevenIssues];
  const [ticket, otherTicket, thirdTicket, fourthTicket] = originals(onRedmine) as [...SevenIssues];
  const inRedmine = (issue: RawIssue) => mirrorOf(onRedmine, 'acme/support', issue).number;
  const inGitHub = (issue: RawIssue) => mirrorOf(onGitHub, 'redmine/helpdesk', issue);

  // What they wrote themselves.
  rename(world, first, 'Renamed where it was written: GitHub');
  await gitHub.change(first.number, { title: 'Renamed where it was written: GitHub', state: 'closed' });
  rename(world, ticket, 'Renamed where it was written: Redmine');
  await redmine.change(ticket.number, {
    subject: 'Renamed where it was written: Redmine',
    description: 'And rewritten.',
  });
  // Mirrors.
  rename(world, second, 'Renamed in the mirror: Redmine');
  await redmine.change(inRedmine(second), { subject: 'Renamed in the mirror: Redmine', ...closed });
  rename(world, otherTicket, 'Renamed in the mirror: GitHub');
  const mirror = inGitHub(otherTicket);
  await gitHub.change(mirror.number, {
    title: 'Renamed in the mirror: GitHub',
    body: `Rewritten in the mirror.\n\n${mirror.body.slice(mirror.body.lastIndexOf('<!--'))}`,
  });
  // A mirror that loses its marker.
  await redmine.change(inRedmine(third), { description: 'Rewritten in the mirror, marker and all.' });
  // Both sides at once, in different fields, and in the same one: there the later one wins.
  rename(world, fourth, 'Renamed on one side, rewritten on the other');
  await gitHub.change(fourth.number, { title: 'Renamed on one side, rewritten on the other' });
  await redmine.change(inRedmine(fourth), { description: 'Rewritten on the other side.' });
  await gitHub.change(fifth.number, { title: 'This came first' });
  await nextSecond();
  rename(world, fifth, 'This came later');
  await redmine.change(inRedmine(fifth), { subject: 'This came later' });
  // Comments, old ones and new ones.
  await commentOnGitHub(world, sixth.number, 'After the first synchronization');
  await commentOnRedmine(world, inRedmine(seventh), 'After the first synchronization, on the mirror');
  await commentOnGitHub(world, inGitHub(thirdTicket).number, 'After the first synchronization, on the mirror');
  await commentOnRedmine(world, fourthTicket.number, 'After the first synchronization');
  const edited = onRedmine.find(({ body, comments }) => !body.includes('concordat:source=') && comments.length > 0);
  const note = edited?.comments[0];
  if (note !== undefined) {
    world.comments.delete(note.body.replaceAll('\r\n', '\n'));
    world.comments.add('Edited in Redmine');
    await redmine.changeNotes(note.id, 'Edited in Redmine');
  }
  const comment = onGitHub.find(({ number, comments }) => number <= seventh.number && comments.length > 0)?.comments[0];
  if (comment !== undefined) {
    world.comments.delete(comment.body);
    world.comments.add('Edited on GitHub');
    await gitHub.changeComment(comment.id, 'Edited on GitHub');
  }
  // Reopened, and new.
  const done = originals(onRedmine).find(({ isClosed }) => isClosed);
  if (done !== undefined) await redmine.change(done.number, reopened);
  for (const place of ['GitHub', 'Redmine']) world.titles.add(`New on ${place} between two synchronizations`);
  await gitHub.create('New on GitHub between two synchronizations', 'Fresh.');
  const fresh = await redmine.create('New on Redmine between two synchronizations', 'Fresh.');
  await commentOnRedmine(world, fresh, 'On a fresh one');
}

type SevenIssues = [RawIssue, RawIssue, RawIssue, RawIssue, RawIssue, RawIssue, RawIssue];

function rename(world: World, issue: RawIssue, title: string): void {
  world.titles.delete(issue.title);
  world.titles.add(title);
}

async function commentOnGitHub(world: World, number: number, text: string): Promise<void> {
  const body = `${text} (GitHub, issue ${number})\n\nWith a second paragraph, *Größe* & 💥.`;
  world.comments.add(body);
  await world.gitHub.comment(number, body);
}

async function commentOnRedmine(world: World, id: number, text: string): Promise<void> {
  const body = `${text} (Redmine, issue ${id})\n\nWith a second paragraph, *Größe* & 💥.`;
  world.comments.add(body);
  await world.redmine.change(id, { notes: body });
}
