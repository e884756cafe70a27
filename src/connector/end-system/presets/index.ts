import { asana } from './asana.js';
import { azureDevOps } from './azure-devops.js';
import { bitbucket } from './bitbucket.js';
import { box } from './box.js';
import { discord } from './discord.js';
import { dropbox } from './dropbox.js';
import { freshdesk } from './freshdesk.js';
import { generic } from './generic.js';
import { github } from './github.js';
import { gitlab } from './gitlab.js';
import { googleApis } from './google-apis.js';
import { graphql } from './graphql.js';
import { hubspot } from './hubspot.js';
import { intercom } from './intercom.js';
import { jiraCloud } from './jira-cloud.js';
import { linear } from './linear.js';
import { mediawiki } from './mediawiki.js';
import { microsoftGraph } from './microsoft-graph.js';
import { monday } from './monday.js';
import { notion } from './notion.js';
import { okta } from './okta.js';
import { redmine } from './redmine.js';
import { salesforce } from './salesforce.js';
import { servicenow } from './servicenow.js';
import { shopify } from './shopify.js';
import { slack } from './slack.js';
import { soap } from './soap.js';
import { twilio } from './twilio.js';
import { zendesk } from './zendesk.js';

/** The presets that can be asked for by name: one file for each, in the order of docs/preset-list.md. */
export const presets = {
  generic,
  graphql,
  soap,
  github,
  gitlab,
  bitbucket,
  'jira-cloud': jiraCloud,
  'azure-devops': azureDevOps,
  linear,
  redmine,
  asana,
  monday,
  notion,
  servicenow,
  zendesk,
  freshdesk,
  intercom,
  salesforce,
  hubspot,
  shopify,
  slack,
  discord,
  twilio,
  'microsoft-graph': microsoftGraph,
  'google-apis': googleApis,
  box,
  dropbox,
  okta,
  mediawiki,
};

export type PresetName = keyof typeof presets;
