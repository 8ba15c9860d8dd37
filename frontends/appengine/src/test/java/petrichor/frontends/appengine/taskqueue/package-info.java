@NullMarked
package petrichor.frontends.appengine.taskqueue;

import org.jspecify.annotations.NullMarked;
