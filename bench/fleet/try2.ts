import { runFleet } from './run-fleet.js';
const [kind = 'fixed', rival = '0', w = '256', c = '2', from='1', limit='100', windowMs='60000', whole='0'] = process.argv.slice(2);
const out: string[] = [];
for (let seed = 1; seed <= Number(process.env.N ?? 12); seed++) {
  const f = await runFleet({ workers: Number(w), callers: Number(c), sharing: 'quota', windows: 20, seed, real: false, countFrom: Number(from), model: { kind: kind as never, limit: Number(limit), windowMs: Number(windowMs), wholeSeconds: whole==='1', rival: Number(rival) } });
  out.push([f.refused, f.mostRefused, f.unused, f.commands, f.longestWait].map((v) => Math.round(v * 100) / 100).join(' '));
}
console.log(process.argv.slice(2).join(' '), '| refused most unused commands wait |', out.join(' | '));
