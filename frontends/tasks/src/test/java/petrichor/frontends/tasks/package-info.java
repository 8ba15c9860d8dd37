@NullMarked
package petrichor.frontends.tasks;

import org.jspecify.annotations.NullMarked;
