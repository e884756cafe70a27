import { relative } from 'node:path';
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** Names each survivor as soon as it is known: a run may take half an hour. */
const reporter = {
  onMutantTested({ status, fileName, location, mutatorName, replacement }) {
    if (status !== 'Survived') return;
    const place = `${relative(process.cwd(), fileName)}:${location.start.line}:${location.start.column}`;
    process.stdout.write(`survived: ${place} ${mutatorName} → ${JSON.stringify(replacement)}\n`);
  },
};

export const strykerPlugins = [declareValuePlugin(PluginKind.Reporter, 'survivors', reporter)];
