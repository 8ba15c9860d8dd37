/**
 * The foundation of all other modules: byte strings in unsigned order, errors that carry facts,
 * injected time, and what several modules need from the machine's files and processes. No
 * dependency, no threads.
 */
@NullMarked
package petrichor.base;

import org.jspecify.annotations.NullMarked;
