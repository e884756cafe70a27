/** What was planned and what happened differ; the message is the table of both. */
export class AccountingError extends Error {
  static {
    AccountingError.prototype.name = 'AccountingError';
  }
}
