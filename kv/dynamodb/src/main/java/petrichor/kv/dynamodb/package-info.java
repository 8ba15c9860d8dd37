/**
 * DynamoDB as a store: one DynamoDB table for each table, with all of its rows under one partition
 * key and ordered by the sort key. {@link petrichor.kv.dynamodb.StoredItem} describes the encoding
 * of rows.
 */
@NullMarked
package petrichor.kv.dynamodb;

import org.jspecify.annotations.NullMarked;
