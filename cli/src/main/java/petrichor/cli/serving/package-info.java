/**
 * Commands that start, configure, observe and secure servers: {@code up}, {@code server}, {@code
 * cluster}, {@code config}, {@code token}, {@code user}, {@code log}, {@code doctor}, {@code
 * support-bundle}.
 */
@NullMarked
package petrichor.cli.serving;

import org.jspecify.annotations.NullMarked;
