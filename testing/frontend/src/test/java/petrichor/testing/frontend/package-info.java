/**
 * A second front end, which shares nothing with that of the Datastore API: documents under names,
 * JSON over HTTP. It runs on every server of a cluster and holds no routing code.
 */
@NullMarked
package petrichor.testing.frontend;

import org.jspecify.annotations.NullMarked;
