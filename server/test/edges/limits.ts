/** The length of the longest text that gets in, by the way it comes in. */
const KIB = 1_024
/** The total size of a request's headers that Node allows. */
export const headers = 16 * KIB
export const apiBody = 64 * KIB
export const providerAnswer = 64 * KIB
export const callbackBody = 1_024 * KIB
export const mail = 256 * KIB
export const pdu = 64 * KIB
/** For texts without a limit of their own: nothing this long gets in. */
export const anything = 1_024 * KIB
