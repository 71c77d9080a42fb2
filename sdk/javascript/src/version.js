/** The version of this package. */
export const version = '0.1.0';

export const userAgent = `automatic-rostering/${version} (javascript)`;

/** The version of the contract between a plugin and its host that this package implements. */
export const contract = 1;
