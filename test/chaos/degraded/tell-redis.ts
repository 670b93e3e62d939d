import { connect } from 'node:net';

/** Sends a command on a new connection; returns the raw response from Redis. */
export function tell(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let response = '';
    const socket = connect(port, '127.0.0.1', () => socket.end(`${command}\r\nQUIT\r\n`));
    socket.setEncoding('utf8').on('data', (piece: string) => (response += piece));
    socket.once('error', reject);
    socket.once('close', () => (response.startsWith('-') ? reject(new Error(`${command}: ${response}`)) : resolve(response)));
  });
}
