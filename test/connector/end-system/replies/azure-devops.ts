import { date, epochSeconds, type ReplySet, withoutWait } from '../reply-set.js';

const blocked = 'TF400733: The request has been canceled: Request was blocked due to exceeding usage of resource.';
const unauthorized = "TF400813: The user '' is not authorized to access this resource.";

export const azureDevOps: ReplySet = {
  product: 'Azure DevOps',
  checkedAgainst: 'recorded responses',
  replies: [
    {
      what: 'a limit',
      status: 429,
      headers: { 'retry-after': '23', 'x-ratelimit-delay': '6.5' },
      body: { $id: '1', message: blocked, typeKey: 'RequestBlockedException', errorCode: 0 },
      gives: { is: 'rate-limit', code: 'RequestBlockedException', message: blocked, waitMs: 23_000 },
      control: withoutWait(60_000, { code: 'RequestBlockedException', message: blocked }),
    },
    {
      what: 'a limit with the time of its reset',
      status: 429,
      headers: { date, 'x-ratelimit-reset': epochSeconds(45) },
      gives: { is: 'rate-limit', waitMs: 45_000 },
      control: withoutWait(60_000),
    },
    {
      what: 'a request that was slowed down',
      status: 200,
      headers: { 'retry-after': '23', 'x-ratelimit-delay': '6.5' },
      body: { count: 0, value: [] },
      gives: 'success',
    },
    {
      what: 'the sign-in page, for an expired token',
      recorded: { from: 'https://github.com/microsoft/azure-devops-auth-samples/issues/52', on: '2020-04-13' },
      status: 203,
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: '<!DOCTYPE html><html lang="en-US"><title>Azure DevOps Services | Sign In</title></html>',
      gives: { is: 'unauthorized' },
      control: {
        what: 'data',
        headers: { 'content-type': 'application/json' },
        body: '{"value":[]}',
        gives: 'success',
      },
    },
    {
      what: 'a write with an expired token',
      recorded: { from: 'https://github.com/microsoft/azure-devops-auth-samples/issues/52', on: '2020-04-13' },
      status: 401,
      body: {
        eventId: 3000,
        $id: '1',
        errorCode: 0,
        typeName:
          'Microsoft.TeamFoundation.Framework.Server.UnauthorizedRequestException, Microsoft.TeamFoundation.Framework.Server',
        innerException: null,
        message: unauthorized,
        typeKey: 'UnauthorizedRequestException',
      },
      gives: { is: 'unauthorized', code: 'UnauthorizedRequestException', message: unauthorized },
    },
    {
      what: 'a denial',
      status: 403,
      body: { message: 'Denied', typeKey: 'AccessDeniedException' },
      gives: { is: 'forbidden', code: 'AccessDeniedException', message: 'Denied' },
    },
    {
      what: 'a work item that is missing',
      status: 404,
      body: { message: 'TF401232: Work item 7 does not exist.', typeKey: 'WorkItemUnauthorizedAccessException' },
      gives: {
        is: 'not-found',
        code: 'WorkItemUnauthorizedAccessException',
        message: 'TF401232: Work item 7 does not exist.',
      },
    },
    {
      what: 'a bad request',
      status: 400,
      body: { message: 'Bad', typeKey: 'VssPropertyValidationException' },
      gives: { is: 'bad-request', code: 'VssPropertyValidationException', message: 'Bad' },
    },
  ],
};
