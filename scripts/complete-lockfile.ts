/**
 * Puts the optional packages of all platforms back into package-lock.json. `npm install` leaves those out that the registry in
 * use cannot serve (mirrors often hold one platform only), and `npm ci` then refuses the lockfile everywhere. Run it after
 * `npm install`; it changes nothing when nothing is missing. Takes the folder of the lockfile: `npm run lockfile -- tools`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

interface LockedPackage {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const folder = process.argv[2] ?? '.';
const file = path.resolve(import.meta.dirname, '..', folder, 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, LockedPackage> };
const added: string[] = [];

for (const [location, owner] of Object.entries(lock.packages)) {
  for (const [name, range] of Object.entries(owner.optionalDependencies ?? {})) {
    if (isLocked(location, name)) continue;
    // Platform packages are pinned to the version of their owner; of a range the lowest version is certain to exist.
    const version = /\d+\.\d+\.\d+[^\s|]*/.exec(range)?.[0];
    if (version === undefined) throw new Error(`${location}: cannot tell which version of ${name}@${range} to lock`);
    const place = `node_modules/${name}`;
    lock.packages[place] = { version, ...(owner.dev ? { dev: true } : {}), optional: true, ...platformOf(name) };
    added.push(`${name}@${version}`);
  }
}

if (added.length > 0) {
  const sorted = Object.entries(lock.packages).sort(([one], [other]) => (one < other ? -1 : 1));
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);
}
console.log(`${added.length} optional packages added to ${path.relative(process.cwd(), file)}`);

/** Looks where Node would: in the owner's own node_modules, then upwards. */
function isLocked(location: string, name: string): boolean {
  for (let folder = location; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (`${folder === '' ? '' : `${folder}/`}node_modules/${name}` in lock.packages) return true;
    if (folder === '' || !folder.includes('/node_modules/')) return `node_modules/${name}` in lock.packages;
  }
}

function platformOf(name: string): Pick<LockedPackage, 'os' | 'cpu' | 'libc'> {
  const systems = [
    'aix',
    'android',
    'darwin',
    'freebsd',
    'linux',
    'netbsd',
    'openbsd',
    'openharmony',
    'sunos',
    'win32',
  ];
  const processors: Record<string, string> = {
    riscv64: 'riscv64',
    ppc64: 'ppc64',
    loong64: 'loong64',
    mips64el: 'mips64el',
  };
  const os = systems.find((system) => name.includes(system)) ?? (name === 'fsevents' ? 'darwin' : undefined);
  const cpu =
    Object.keys(processors).find((processor) => name.includes(processor)) ??
    ['arm64', 's390x', 'wasm32', 'ia32', 'x64', 'arm'].find((processor) => new RegExp(`[-_]${processor}`).test(name));
  const libc = name.includes('musl') ? 'musl' : /-gnu/.test(name) && os === 'linux' ? 'glibc' : undefined;
  return { ...(cpu ? { cpu: [cpu] } : {}), ...(libc ? { libc: [libc] } : {}), ...(os ? { os: [os] } : {}) };
}
