import { maxSearchCharacters } from '../../../api-keys/index.js';
import { readUserName } from './list-query.js';
import { readPage } from './paging.js';

/** What the list of users shows, as read from its address. */
export interface UserView {
  readonly search: string;
  readonly page: number;
}

/** Reads an address or a form; invalid values become the defaults. */
export function readUserView(query: URLSearchParams): UserView {
  return { search: readUserName(query.get('search')).slice(0, maxSearchCharacters), page: readPage(query) };
}
