import type { Writable } from 'node:stream';
import { autocomplete, isCancel, select, text } from '@clack/prompts';
import type { Io } from '../io.js';
import { endSystems } from './end-systems.js';
import { nameProblem, suggestName } from './name.js';
import { dependencyNames, frameworks, type Project, type Template, templateNames } from './project.js';

export type Choices = Omit<Project, 'concordat'>;

export const defaults = { template: 'hono', preset: 'generic' } as const;

/** Whether there is a terminal to ask on. */
export function canAsk({ stdin, stdout }: Io): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}

/** Asks on the terminal for the missing choices. @returns `undefined` when the user cancels */
export async function ask(given: Partial<Choices>, folderName: string, io: Io): Promise<Choices | undefined> {
  // A terminal's output is a stream, although `Io` asks for less.
  const terminal = { input: io.stdin, output: io.stdout as unknown as Writable, signal: io.signal };

  const template =
    given.template ??
    (await select({
      ...terminal,
      message: 'Which framework?',
      options: templateNames.map((value) => ({ value, label: frameworks[value], hint: hints[value] })),
      initialValue: defaults.template as Template,
    }));
  if (isCancel(template)) return undefined;

  const taken = dependencyNames(template);
  const name =
    given.name ??
    (await text({
      ...terminal,
      message: 'What is the connector called?',
      initialValue: suggestName(folderName, taken),
      validate: (value = '') => {
        const problem = nameProblem(value, taken);
        return problem && `Not a valid package name: ${problem}.`;
      },
    }));
  if (isCancel(name)) return undefined;

  const preset =
    given.preset ??
    (await autocomplete({
      ...terminal,
      message: 'Which end system does it connect to? (Type to search.)',
      options: products,
      filter: (search, product) => found(search).some(({ value }) => value === product.value),
      initialValue: defaults.preset as string,
      maxItems: 10,
    }));
  if (isCancel(preset)) return undefined;
  return { name, template, preset };
}

const products = Object.entries(endSystems).map(([value, label]) => ({ value, label }));

/** The end systems that match a search. A product that is not listed is another one, which is generic. */
function found(search: string): typeof products {
  const wanted = search.trim().toLowerCase();
  const matching = products.filter(({ value, label }) => `${value} ${label}`.toLowerCase().includes(wanted));
  return matching.length > 0 ? matching : products.filter(({ value }) => value === defaults.preset);
}

const hints: Record<Template, string> = {
  hono: 'sessions and login built in',
  express: 'for teams that use Express',
  fastify: 'for teams that use Fastify',
};
