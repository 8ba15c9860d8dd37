/**
 * The log of the process: formats, levels, repeated records, and the recent records of the page
 * {@code /logs}.
 */
@NullMarked
package petrichor.server.logs;

import org.jspecify.annotations.NullMarked;
