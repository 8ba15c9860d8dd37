/**
 * The foundation of all other modules: byte strings in unsigned order, errors that carry facts, and
 * injected time. No dependency, no I/O, no threads.
 */
@NullMarked
package petrichor.base;

import org.jspecify.annotations.NullMarked;
