package petrichor.sql;

import java.util.Map;

/**
 * Variables of PostgreSQL's planner, log and maintenance, which scripts and dumps set. They are
 * kept and shown, and change nothing.
 */
final class AcceptedSettings {
    /** By lower-case name, with PostgreSQL's defaults. */
    static final Map<String, String> DEFAULTS =
            Map.ofEntries(
                    Map.entry("allow_system_table_mods", "off"),
                    Map.entry("array_nulls", "on"),
                    Map.entry("backslash_quote", "safe_encoding"),
                    Map.entry("check_function_bodies", "on"),
                    Map.entry("commit_delay", "0"),
                    Map.entry("constraint_exclusion", "partition"),
                    Map.entry("cpu_operator_cost", "0.0025"),
                    Map.entry("cpu_tuple_cost", "0.01"),
                    Map.entry("cursor_tuple_fraction", "0.1"),
                    Map.entry("default_statistics_target", "100"),
                    Map.entry("default_table_access_method", "heap"),
                    Map.entry("default_tablespace", ""),
                    Map.entry("default_toast_compression", "pglz"),
                    Map.entry("effective_cache_size", "4GB"),
                    Map.entry("enable_async_append", "on"),
                    Map.entry("enable_bitmapscan", "on"),
                    Map.entry("enable_gathermerge", "on"),
                    Map.entry("enable_hashagg", "on"),
                    Map.entry("enable_hashjoin", "on"),
                    Map.entry("enable_incremental_sort", "on"),
                    Map.entry("enable_indexonlyscan", "on"),
                    Map.entry("enable_indexscan", "on"),
                    Map.entry("enable_material", "on"),
                    Map.entry("enable_memoize", "on"),
                    Map.entry("enable_mergejoin", "on"),
                    Map.entry("enable_nestloop", "on"),
                    Map.entry("enable_parallel_append", "on"),
                    Map.entry("enable_parallel_hash", "on"),
                    Map.entry("enable_partition_pruning", "on"),
                    Map.entry("enable_partitionwise_aggregate", "off"),
                    Map.entry("enable_partitionwise_join", "off"),
                    Map.entry("enable_seqscan", "on"),
                    Map.entry("enable_sort", "on"),
                    Map.entry("enable_tidscan", "on"),
                    Map.entry("escape_string_warning", "on"),
                    Map.entry("force_parallel_mode", "off"),
                    Map.entry("from_collapse_limit", "8"),
                    Map.entry("geqo", "on"),
                    Map.entry("geqo_threshold", "12"),
                    Map.entry("hash_mem_multiplier", "2"),
                    Map.entry("jit", "on"),
                    Map.entry("join_collapse_limit", "8"),
                    Map.entry("lc_messages", "C"),
                    Map.entry("lc_monetary", "C"),
                    Map.entry("lc_numeric", "C"),
                    Map.entry("lc_time", "C"),
                    Map.entry("log_min_messages", "warning"),
                    Map.entry("log_statement", "none"),
                    Map.entry("maintenance_work_mem", "64MB"),
                    Map.entry("max_parallel_workers_per_gather", "2"),
                    Map.entry("min_parallel_index_scan_size", "512kB"),
                    Map.entry("min_parallel_table_scan_size", "8MB"),
                    Map.entry("parallel_leader_participation", "on"),
                    Map.entry("parallel_setup_cost", "1000"),
                    Map.entry("parallel_tuple_cost", "0.1"),
                    Map.entry("plan_cache_mode", "auto"),
                    Map.entry("random_page_cost", "4"),
                    Map.entry("seq_page_cost", "1"),
                    Map.entry("session_replication_role", "origin"),
                    Map.entry("synchronize_seqscans", "on"),
                    Map.entry("synchronous_commit", "on"),
                    Map.entry("temp_buffers", "8MB"),
                    Map.entry("temp_tablespaces", ""),
                    Map.entry("transform_null_equals", "off"),
                    Map.entry("work_mem", "4MB"),
                    Map.entry("xmlbinary", "base64"));

    private AcceptedSettings() {}
}
