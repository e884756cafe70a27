import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** The line to a part: its port stays while what is behind it is killed and started again. It can be cut or slow. */
export class Wire {
  /** The port behind it. */
  target = 0;
  /** How long each piece of data takes. */
  delayMs = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((near) => this.#join(near));

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  open(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  /** Resets every connection, whatever is on its way. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  close(): void {
    this.#server.close();
    this.cut();
  }

  #join(near: Socket): void {
    const far = connect(this.target, '127.0.0.1');
    this.#pass(near, far);
    this.#pass(far, near);
  }

  #pass(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    const line = new Transform({
      transform: (bytes, _encoding, done) =>
        this.delayMs > 0 ? void setTimeout(done, this.delayMs, null, bytes) : done(null, bytes),
    });
    from.setNoDelay(true).pipe(line).pipe(to);
    from.on('error', () => to.resetAndDestroy());
    from.on('close', () => {
      this.#sockets.delete(from);
      setTimeout(() => to.destroy(), 2 * this.delayMs + 100);
    });
  }
}
