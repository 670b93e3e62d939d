export { dispatcherContract, HeldHandler, jobOf } from './dispatcher.contract.ts';
