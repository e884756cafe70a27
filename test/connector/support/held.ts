import { type Agent, request } from 'node:http';

/** A handler that waits until it is released, and tells when its request has arrived. */
export function held() {
  let arrive: () => void = () => {};
  let release: () => void = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const hold = () => {
    arrive();
    return released;
  };
  return { arrived, hold, release };
}

/** What the response to a GET says of its connection, once it has been read. */
export function connectionOf(url: string, agent: Agent): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { agent }, (response) => {
      response.resume().on('end', () => resolve(response.headers.connection));
    })
      .on('error', reject)
      .end();
  });
}
