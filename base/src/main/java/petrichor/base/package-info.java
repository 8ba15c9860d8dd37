/**
 * What every other module stands on: byte strings in unsigned order, errors that carry facts, and
 * time that comes in from outside. No dependency, no I/O, no threads.
 */
@NullMarked
package petrichor.base;

import org.jspecify.annotations.NullMarked;
