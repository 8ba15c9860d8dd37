/**
 * Tests of the real server, started as by users, under writing clients, with process kills and
 * other crashes.
 */
@NullMarked
package petrichor.testing.crash;

import org.jspecify.annotations.NullMarked;
