package source

// The codes of targets and devices.
const (
	NoSuchDevice Code = "E0740"
	NotExpressed Code = "E0741"
	DeviceLost   Code = "E0742"
	DeviceMemory Code = "E0743"
	DeviceFailed Code = "E0744"
)

var deviceCodes = []CodeInfo{
	{
		Code:  NoSuchDevice,
		Title: "There is no such device, or it cannot be used",
		Explanation: `A device is what runs kernels: the processor of this machine, the evaluator of loop programs. 'ricci devices'
lists them, and says of each what it lacks. A device takes the code of one target, so --target and --device have to fit.`,
		Example: `ricci run matmul.tc --device tpu`,
		Fix:     `ricci run matmul.tc --device host`,
	},
	{
		Code:  NotExpressed,
		Title: "A target cannot express a part of the loops",
		Explanation: `Loop programs are made of kinds of nodes: loops, vectors, dot products of groups, products of matrix units, and
more. A target says which of them it has words for; it may lack functions, too. Where the loops have others, nothing is printed.`,
		Fix: `Give another schedule (--schedule), or a machine that does not have what the target lacks (--machine), so that schedules do not use it.
A program that calls a function which a target lacks needs another target or device.`,
	},
	{
		Code:  DeviceLost,
		Title: "A device stopped answering",
		Explanation: `What runs kernels may be a process or a card that ends, or is taken away. What was computed on it, and what lay in
its memory, is lost; tensors on this machine are as they were, but for outputs of the call that failed.`,
		Fix: `Call the def again (Def.Run and its like): the device is opened anew. A ricci.Kernel or Call that a program holds is lost with its
device: compile it again. Where the device is lost again, 'ricci devices' says what is there; --device host computes without it.`,
	},
	{
		Code:        DeviceMemory,
		Title:       "A device has no memory left",
		Explanation: `The arguments of a call, or its temporaries, do not fit into the memory of the device. Nothing was computed.`,
		Fix:         `Call the def for parts of its arguments at a time, close tensors that are not needed any more, or use a device with more memory.`,
	},
	{
		Code:  DeviceFailed,
		Title: "The driver of a device reports an error",
		Explanation: `A driver refused something that Ricci asked it for, and the device goes on: neither is it lost, nor is its memory full. Drivers that do not
fit to their cards, and defects of drivers or of Ricci, look like this.`,
		Fix: `Call again; 'ricci doctor' lists drivers and what they say of their devices. --device host computes without them. If it stays, please report it with the
name that the driver gives.`,
	},
}
