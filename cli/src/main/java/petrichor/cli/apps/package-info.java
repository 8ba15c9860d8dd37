/** Commands for apps: {@code deploy}, {@code app}, {@code scaling}. */
@NullMarked
package petrichor.cli.apps;

import org.jspecify.annotations.NullMarked;
