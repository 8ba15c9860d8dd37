/**
 * A second front end, which shares no code with that of the Datastore API: named documents, as JSON
 * over HTTP. It runs on every server of a cluster and contains no routing code. And the front end
 * of App Engine on several servers.
 */
@NullMarked
package petrichor.testing.frontend;

import org.jspecify.annotations.NullMarked;
