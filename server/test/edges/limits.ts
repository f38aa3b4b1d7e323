/** How long the texts are that get in at most, by the way they come. */
const KIB = 1_024
/** What Node lets the headers of a request have, all of them together. */
export const headers = 16 * KIB
export const apiBody = 64 * KIB
export const providerAnswer = 64 * KIB
export const callbackBody = 1_024 * KIB
export const mail = 256 * KIB
export const pdu = 64 * KIB
/** For what has no limit of its own: nothing that long gets in. */
export const anything = 1_024 * KIB
