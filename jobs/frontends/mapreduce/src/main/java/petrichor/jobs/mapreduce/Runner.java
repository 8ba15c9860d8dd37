package petrichor.jobs.mapreduce;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.ipc.ProtocolSignature;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Cluster.JobTrackerStatus;
import org.apache.hadoop.mapreduce.ClusterMetrics;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.QueueAclsInfo;
import org.apache.hadoop.mapreduce.QueueInfo;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TaskReport;
import org.apache.hadoop.mapreduce.TaskTrackerInfo;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.protocol.ClientProtocol;
import org.apache.hadoop.mapreduce.security.token.delegation.DelegationTokenIdentifier;
import org.apache.hadoop.mapreduce.v2.LogParams;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.authorize.AccessControlList;
import org.apache.hadoop.security.token.Token;

/**
 * The endpoint to which a program submits its jobs. They run in the execution mode in which the
 * program was started; those of a program started by {@code java} run in its own process, or in the
 * number of worker processes that {@code petrichor.workers} sets. There are no queues, no trackers
 * and no security. Safe for all threads.
 */
final class Runner implements ClientProtocol {
    private final Configuration configuration;
    private final HadoopProgram program;

    Runner(Configuration configuration, HadoopProgram program) {
        this.configuration = configuration;
        this.program = program;
    }

    @Override
    public JobID getNewJobID() {
        return program.newId();
    }

    @Override
    public JobStatus submitJob(JobID id, String folder, Credentials credentials)
            throws IOException, InterruptedException {
        Path submitted = new Path(folder);
        Path description = new Path(submitted, HadoopJob.SUBMITTED);
        FileSystem files = description.getFileSystem(configuration);
        JobConf described = new JobConf(false);
        try (var in = files.open(description)) {
            // Without the name, default values would count as values of the program.
            described.addResource(in, HadoopJob.SUBMITTED);
            described.size();
        }
        described.setClassLoader(Thread.currentThread().getContextClassLoader());
        if (CacheFiles.are(described)) {
            // Its files may have been uploaded next to its description.
            described.set(CacheFiles.UPLOADED, folder);
        } else {
            files.delete(submitted, true);
        }
        MapReduce job = MapReduce.of(described.getJobName(), described, id);
        SubmittedJob started = SubmittedJob.start(id, job, described, program);
        program.add(id, started);
        return started.status();
    }

    @Override
    public JobStatus getJobStatus(JobID id) throws IOException {
        return program.job(id).status();
    }

    @Override
    public Counters getJobCounters(JobID id) throws IOException {
        return program.job(id).counters();
    }

    @Override
    public void killJob(JobID id) throws IOException {
        program.job(id).cancel();
    }

    @Override
    public JobStatus[] getAllJobs() {
        return program.jobs().stream().map(SubmittedJob::status).toArray(JobStatus[]::new);
    }

    @Override
    public String getStagingAreaDir() throws IOException {
        Path folder = new Path(configuration.get("hadoop.tmp.dir"), "petrichor-staging");
        return folder.getFileSystem(configuration).makeQualified(folder).toString();
    }

    @Override
    public String getSystemDir() throws IOException {
        return getStagingAreaDir();
    }

    @Override
    public String getJobHistoryDir() throws IOException {
        return getStagingAreaDir();
    }

    @Override
    public String getFilesystemName() throws IOException {
        return FileSystem.get(configuration).getUri().toString();
    }

    @Override
    public TaskReport[] getTaskReports(JobID id, TaskType type) {
        return new TaskReport[0];
    }

    @Override
    public TaskCompletionEvent[] getTaskCompletionEvents(JobID id, int from, int most) {
        return new TaskCompletionEvent[0];
    }

    @Override
    public String[] getTaskDiagnostics(TaskAttemptID id) {
        return new String[0];
    }

    @Override
    public ClusterMetrics getClusterMetrics() {
        return new ClusterMetrics(0, 0, 0, 0, 0, 0, 0, 0, program.jobs().size(), 1, 0, 0);
    }

    @Override
    public JobTrackerStatus getJobTrackerStatus() {
        return JobTrackerStatus.RUNNING;
    }

    @Override
    public long getTaskTrackerExpiryInterval() {
        return 0;
    }

    @Override
    public AccessControlList getQueueAdmins(String queue) {
        return new AccessControlList("*");
    }

    @Override
    public void setJobPriority(JobID id, String priority) {
        // One job does not wait for another.
    }

    @Override
    public boolean killTask(TaskAttemptID id, boolean fails) {
        return false;
    }

    @Override
    public TaskTrackerInfo[] getActiveTrackers() {
        return new TaskTrackerInfo[0];
    }

    @Override
    public TaskTrackerInfo[] getBlacklistedTrackers() {
        return new TaskTrackerInfo[0];
    }

    @Override
    public QueueInfo[] getQueues() {
        return new QueueInfo[0];
    }

    @Override
    public QueueInfo getQueue(String name) {
        return new QueueInfo();
    }

    @Override
    public QueueAclsInfo[] getQueueAclsForCurrentUser() {
        return new QueueAclsInfo[0];
    }

    @Override
    public QueueInfo[] getRootQueues() {
        return new QueueInfo[0];
    }

    @Override
    public QueueInfo[] getChildQueues(String name) {
        return new QueueInfo[0];
    }

    @Override
    public Token<DelegationTokenIdentifier> getDelegationToken(Text renewer) {
        return new Token<>();
    }

    @Override
    public long renewDelegationToken(Token<DelegationTokenIdentifier> token) {
        return 0;
    }

    @Override
    public void cancelDelegationToken(Token<DelegationTokenIdentifier> token) {
        // There was none.
    }

    @Override
    public LogParams getLogFileParams(JobID id, TaskAttemptID attempt) throws IOException {
        throw new IOException(
                "tasks have no separate log files: they write to the log of their process");
    }

    @Override
    public long getProtocolVersion(String protocol, long version) {
        return versionID;
    }

    @Override
    public ProtocolSignature getProtocolSignature(String protocol, long version, int methods)
            throws IOException {
        return ProtocolSignature.getProtocolSignature(this, protocol, version, methods);
    }
}
