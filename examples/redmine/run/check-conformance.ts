import { formatReport, type Report, runConformance } from 'concordat/conformance';
import config from '../concordat.config.js';

export interface ConformanceOptions {
  baseUrl: string;
  /** Parameters of initialize. */
  login: Record<string, string>;
  /** An issue that the user may not see. */
  secret: number;
  /** Resets the user's API key. */
  reset: () => Promise<void>;
}

/** Checks the connector with the real Redmine behind it: every kind of error is one that Redmine or nginx has answered. */
export async function checkConformance({ baseUrl, login, secret, reset }: ConformanceOptions): Promise<Report> {
  const parameters = (values: Record<string, string>) =>
    Object.entries(values).map(([key, value]) => ({ key, value, sensitive: key === 'password' }));
  const report = await runConformance({
    ...config,
    baseUrl,
    probes: {
      ...config.probes,
      initialize: {
        parameters: parameters(login),
        wrongParameters: parameters({ ...login, password: 'not the password' }),
      },
      forbidden: `/issues/${secret}`,
      expire: { action: reset },
      limit: { request: '/issues', times: 200, concurrency: 16 },
    },
  });
  if (!report.ok) console.log(formatReport(report, 'pretty'));
  return report;
}
