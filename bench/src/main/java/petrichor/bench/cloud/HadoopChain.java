package petrichor.bench.cloud;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.local.Jobs;
import petrichor.jobs.mapreduce.MapReduce;

/** The three programs as a chain of jobs; each reads the output of the previous one. */
final class HadoopChain {
    private final Path folder;
    private final long smallest;
    private final int sorters;
    private final String machines;

    /**
     * @param folder for their results
     * @param smallest number of values in the mean
     * @param sorters number of maps and reduces that sort; a third of them aggregate
     * @param machines the machine type, where machines are leased
     */
    HadoopChain(Path folder, long smallest, int sorters, String machines) {
        this.folder = folder;
        this.smallest = smallest;
        this.sorters = sorters;
        this.machines = machines;
    }

    /** Returns the mean, as it was written. */
    String run(Jobs jobs, Path numbers) throws IOException {
        int aggregators = Math.max(1, sorters / 3);
        jobs.run(MapReduce.of(sort(numbers)).mapSubtasks(sorters).onMachines(machines).plan());
        jobs.run(
                MapReduce.of(parts(aggregators))
                        .mapSubtasks(aggregators)
                        .onMachines(machines)
                        .plan());
        jobs.run(MapReduce.of(mean()).mapSubtasks(1).onMachines(machines).plan());
        return Files.readString(folder.resolve("mean/part-r-00000")).trim();
    }

    private Job sort(Path numbers) throws IOException {
        Job job = job("sort", numbers);
        FileInputFormat.setMaxInputSplitSize(job, Math.max(1, Files.size(numbers) / sorters + 1));
        job.setMapperClass(HadoopPrograms.SortMapper.class);
        job.setPartitionerClass(HadoopPrograms.RangePartitioner.class);
        job.setReducerClass(HadoopPrograms.SortReducer.class);
        job.setOutputKeyClass(LongWritable.class);
        job.setOutputValueClass(NullWritable.class);
        job.setNumReduceTasks(sorters);
        return job;
    }

    /**
     * Reads only the first files, which hold the smallest numbers, and the last of these only in
     * part.
     */
    private Job parts(int aggregators) throws IOException {
        Job job = job("parts", null);
        long left = smallest;
        for (int reduce = 0; left > 0 && reduce < sorters; reduce++) {
            Path file = folder.resolve("sort/part-r-%05d".formatted(reduce));
            long wanted = Math.min(left, lines(file));
            FileInputFormat.addInputPath(job, hadoop(file));
            job.getConfiguration().setLong(HadoopPrograms.WANTED + file.getFileName(), wanted);
            left -= wanted;
        }
        // A file must be read from its beginning.
        FileInputFormat.setMinInputSplitSize(job, Long.MAX_VALUE);
        job.setMapperClass(HadoopPrograms.SmallestMapper.class);
        job.setReducerClass(HadoopPrograms.PartReducer.class);
        job.setMapOutputKeyClass(IntWritable.class);
        job.setOutputKeyClass(LongWritable.class);
        job.setOutputValueClass(LongWritable.class);
        job.setNumReduceTasks(aggregators);
        return job;
    }

    private Job mean() throws IOException {
        Job job = job("mean", folder.resolve("parts"));
        job.setMapperClass(HadoopPrograms.GatherMapper.class);
        job.setReducerClass(HadoopPrograms.MeanReducer.class);
        job.setMapOutputKeyClass(NullWritable.class);
        job.setMapOutputValueClass(Text.class);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(NullWritable.class);
        return job;
    }

    private Job job(String name, @Nullable Path input) throws IOException {
        Job job = Job.getInstance(new Configuration(), name);
        if (input != null) {
            FileInputFormat.addInputPath(job, hadoop(input));
        }
        FileOutputFormat.setOutputPath(job, hadoop(folder.resolve(name)));
        return job;
    }

    private static long lines(Path file) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.count();
        }
    }

    private static org.apache.hadoop.fs.Path hadoop(Path path) {
        return new org.apache.hadoop.fs.Path(path.toUri());
    }
}
