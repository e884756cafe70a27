import type { Writable } from 'node:stream';
import { autocomplete, isCancel, select, text } from '@clack/prompts';
import type { Io } from '../io.js';
import { endSystems } from './end-systems.js';
import { nameProblem, suggestName } from './name.js';
import { dependencyNames, frameworks, type Template, templateNames } from './project.js';

export interface Choices {
  name: string;
  template: Template;
  preset: string;
}

/** What is taken where nobody is asked. */
export const defaults = { template: 'hono', preset: 'generic' } as const;

/** Whether there is somebody to ask. */
export function canAsk({ stdin, stdout }: Io): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}

/**
 * Asks on the terminal for what was not given.
 *
 * @param folderName what to make a name of, if there is no better one.
 * @returns `undefined` when the user ends it.
 */
export async function ask(given: Partial<Choices>, folderName: string, io: Io): Promise<Choices | undefined> {
  // A terminal's output is a stream; `Io` asks for less, because nothing else here needs more.
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
        return problem && `This is no name for a package: ${problem}.`;
      },
    }));
  if (isCancel(name)) return undefined;

  const preset =
    given.preset ??
    (await autocomplete({
      ...terminal,
      message: 'Which end system does it connect? (Type to search.)',
      options: Object.entries(endSystems).map(([value, label]) => ({ value, label })),
      initialValue: defaults.preset,
      maxItems: 10,
    }));
  if (isCancel(preset)) return undefined;
  return { name, template, preset };
}

const hints: Record<Template, string> = {
  hono: 'sessions and login are built in',
  express: 'for a team that has Express',
  fastify: 'for a team that has Fastify',
};
