import { connect } from 'node:net';

/** One command on a connection of its own, and the answer as Redis writes it. */
export function tell(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.end(`${command}\r\nQUIT\r\n`));
    socket.setEncoding('utf8').on('data', (piece: string) => (answer += piece));
    socket.once('error', reject);
    socket.once('close', () => (answer.startsWith('-') ? reject(new Error(`${command}: ${answer}`)) : resolve(answer)));
  });
}
