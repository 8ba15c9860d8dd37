/**
 * Records, the data of jobs: typed fields in one binary form that is the same in memory, in
 * channels and in spill files, so that moving a record is copying bytes and comparing two needs no
 * object.
 *
 * <p>Start with {@link petrichor.jobs.records.RecordType} (the fields), {@link
 * petrichor.jobs.records.RecordView} (a view that moves from record to record instead of being
 * allocated) and {@link petrichor.jobs.records.RecordBuilder} (which writes records). {@link
 * petrichor.jobs.records.Key} defines the fields by which records are grouped, joined or sorted;
 * {@link petrichor.jobs.records.KeyOrder}, {@link petrichor.jobs.records.KeyPrefix} and {@link
 * petrichor.jobs.records.KeyHash} are keys bound to a type. Users write lambdas for {@link
 * petrichor.jobs.records.MapCode}, {@link petrichor.jobs.records.ReduceCode}, {@link
 * petrichor.jobs.records.JoinCode} and {@link petrichor.jobs.records.CoGroupCode}; {@link
 * petrichor.jobs.records.Aggregation} needs no user code at all.
 *
 * <p>Nothing here is shared between threads except the immutable descriptions (types, keys,
 * aggregations): a view, a builder, a bound key belongs to one task.
 */
@NullMarked
package petrichor.jobs.records;

import org.jspecify.annotations.NullMarked;
