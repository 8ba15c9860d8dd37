/**
 * {@code petrichor bench compression}: how well channels choose their compression level, over links
 * of known rates. Two processes send to each other over a link that is shaped by the kernel's token
 * bucket between two network namespaces, or, without root, by a proxy in this process.
 */
@NullMarked
package petrichor.bench.compression;

import org.jspecify.annotations.NullMarked;
