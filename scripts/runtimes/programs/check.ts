/** Runs the conformance kit against the connector: `check.js URL`. Everything that the kit can check has to be checked. */
import { formatReport, runConformance } from 'concordat/conformance';
import { config } from './probes.js';

const report = await runConformance({ baseUrl: process.argv[2], ...config });
const { passed, skipped, warning } = report.counts;
const isWhole = report.ok && warning === 0 && skipped === 0;
console.log(isWhole ? `${passed} conformance cases` : formatReport(report, 'pretty'));
if (!isWhole) process.exitCode = 1;
