/**
 * The request log: one line of JSON per request. {@link petrichor.apps.router.log.RequestLog} takes
 * records without blocking and writes them on a thread of its own; when its queue is full, it drops
 * records and counts them, because a slow disk must not slow down requests. {@link
 * petrichor.apps.router.log.RollingFile} bounds the size of the files.
 */
@NullMarked
package petrichor.apps.router.log;

import org.jspecify.annotations.NullMarked;
