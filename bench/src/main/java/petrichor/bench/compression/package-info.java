/**
 * {@code petrichor bench compression}: how well channels choose their compression, over links of
 * known rates. Two processes send to each other over a link that is shaped by the kernel's token
 * bucket between two network namespaces, or, without root, by one of our own.
 */
@NullMarked
package petrichor.bench.compression;

import org.jspecify.annotations.NullMarked;
