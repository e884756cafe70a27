/** What scripts/with-redmine.sh hands over. */
export interface RedmineEnvironment {
  /** The way in for the connector: limited. */
  url: string;
  /** The same Redmine without a limit. */
  directUrl: string;
  /** Of all users. */
  password: string;
}

/** @throws Error that says how to run it. */
export function readEnvironment(environment: Readonly<Record<string, string | undefined>>): RedmineEnvironment {
  const {
    CONCORDAT_REDMINE_URL: url,
    CONCORDAT_REDMINE_DIRECT_URL: directUrl,
    CONCORDAT_REDMINE_PASSWORD: password,
  } = environment;
  if (!url || !directUrl || !password) {
    throw new Error('There is no Redmine to run against. This starts one: npm run e2e:redmine');
  }
  return { url, directUrl, password };
}
