/**
 * Compresses responses of instances on their way to clients: {@link
 * petrichor.apps.router.compression.CompressionRules} decide which, and {@link
 * petrichor.apps.router.compression.Compressors} bound the memory and the processor time that this
 * takes.
 */
@NullMarked
package petrichor.apps.router.compression;

import org.jspecify.annotations.NullMarked;
