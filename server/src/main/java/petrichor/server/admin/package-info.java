/**
 * google.datastore.admin.v1 and google.longrunning over gRPC ({@link
 * petrichor.server.admin.AdminService}) and REST ({@link petrichor.server.admin.AdminPages}):
 * {@link petrichor.server.admin.IndexAdmin} serves composite indexes, {@link
 * petrichor.server.admin.TransferAdmin} exports and imports. {@link
 * petrichor.server.admin.OperationLog} keeps operations in the database that they concern.
 */
@NullMarked
package petrichor.server.admin;

import org.jspecify.annotations.NullMarked;
