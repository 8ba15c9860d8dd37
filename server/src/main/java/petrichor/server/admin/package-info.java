/**
 * google.datastore.admin.v1 and google.longrunning: composite indexes and their operations, over
 * gRPC ({@link petrichor.server.admin.AdminService}) and REST ({@link
 * petrichor.server.admin.AdminPages}). {@link petrichor.server.admin.IndexAdmin} does the work,
 * {@link petrichor.server.admin.OperationLog} keeps operations in the database that they concern.
 */
@NullMarked
package petrichor.server.admin;

import org.jspecify.annotations.NullMarked;
